(function () {
  "use strict";
  var body = document.querySelector("#rows tbody");
  var rows = Array.prototype.slice.call(body.rows);
  var form = document.getElementById("filter");
  var text = document.getElementById("text");
  var selects = form.querySelectorAll("select[data-key]");
  var order = document.getElementById("order");
  var buttons = document.querySelectorAll("#rows th button");
  var by = "", falling = false;
  // A page of a thousand rows is read from its top; the rest comes when it is asked for.
  var most = 100, all = document.getElementById("all");

  rows.forEach(function (row) { row.words = row.textContent.toLowerCase(); });

  function filter() {
    var words = text.value.toLowerCase().split(/\s+/).filter(Boolean), count = 0;
    rows.forEach(function (row) {
      var fits = words.every(function (word) { return row.words.indexOf(word) >= 0; });
      selects.forEach(function (select) {
        var own = row.dataset[select.dataset.key] || "";
        // A row may have several owners.
        fits = fits && (!select.value || own === select.value || own.split(" ").indexOf(select.value) >= 0);
      });
      count += fits ? 1 : 0;
      row.hidden = !fits || count > most;
    });
    all.hidden = count <= most;
    all.textContent = "Show all " + count;
    document.getElementById("shown").textContent = count + " of " + rows.length;
  }

  function value(row, key) {
    return row.querySelector("td[data-" + key + "]").dataset.value;
  }

  function sort(key, falls) {
    var compare = new Intl.Collator("en", { numeric: true }).compare;
    rows.sort(function (a, b) {
      var way = compare(value(a, key), value(b, key)) || compare(value(a, "name"), value(b, "name"));
      return falls ? -way : way;
    });
    rows.forEach(function (row) { body.appendChild(row); });
    buttons.forEach(function (button) {
      var own = button.dataset.by === key;
      button.parentNode.setAttribute("aria-sort", own ? (falls ? "descending" : "ascending") : "none");
    });
    filter();
  }

  buttons.forEach(function (button) {
    button.addEventListener("click", function () {
      // What is worst comes first where numbers are sorted.
      falling = by === button.dataset.by ? !falling : button.hasAttribute("data-number");
      by = button.dataset.by;
      sort(by, falling);
    });
  });
  order.addEventListener("change", function () {
    var button = document.querySelector("#rows th button[data-by='" + order.value + "']");
    if (button) { sort(order.value, button.hasAttribute("data-number")); }
  });
  all.addEventListener("click", function () { most = rows.length; filter(); });
  // A link into a part that is folded away opens it.
  document.querySelectorAll("nav a").forEach(function (link) {
    link.addEventListener("click", function () {
      var fold = document.querySelector(link.getAttribute("href") + ">details");
      if (fold) { fold.open = true; }
    });
  });
  form.addEventListener("input", filter);
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  var falls = document.getElementById("falls");
  if (falls) {
    falls.addEventListener("change", function () {
      document.querySelectorAll(".events > li").forEach(function (item) {
        item.hidden = falls.checked && !item.classList.contains("fell");
      });
    });
  }
  filter();
})();
